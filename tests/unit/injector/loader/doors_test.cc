// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/doors.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "injector/loader/real_function.h"

namespace flopsprof::injector {
namespace {

int First(int a, double b) { return a + static_cast<int>(b); }
int Second(int a, double b) { return a - static_cast<int>(b); }

const void* caller_seen = nullptr;

// Passes on to whatever stands behind it.
int PassOn(int a, double b) {
  static RealFunction real("flopsprof_no_such_function", "libnothing.so");
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(int, double)>(real.Enter(&caller));
  caller_seen = caller;
  return function == nullptr ? -1000 : function(a, b);
}

const Hook hook = {"flopsprof_no_such_function", reinterpret_cast<void*>(&PassOn), 0};

void* Address(int (*function)(int, double)) { return reinterpret_cast<void*>(function); }
auto Callable(void* door) { return reinterpret_cast<int (*)(int, double)>(door); }

TEST(DoorsTest, EachLeadsToItsOwnFunctionWithAllArguments) {
  void* first = DoorTo(hook, Address(First));
  void* second = DoorTo(hook, Address(Second));
  EXPECT_EQ(Callable(first)(5, 3.0), 8);
  EXPECT_EQ(Callable(second)(5, 3.0), 2);
  EXPECT_EQ(caller_seen, Address(Second));  // its library is asked for getters
  EXPECT_EQ(Callable(first)(1, 1.0), 2);
}

TEST(DoorsTest, TheSameFunctionHasTheSameDoor) {
  EXPECT_EQ(DoorTo(hook, Address(First)), DoorTo(hook, Address(First)));
  EXPECT_NE(DoorTo(hook, Address(First)), DoorTo(hook, Address(Second)));
}

TEST(DoorsTest, SaysWhatStandsBehind) {
  void* door = DoorTo(hook, Address(Second));
  EXPECT_EQ(BehindDoor(door), Address(Second));
  EXPECT_EQ(BehindDoor(static_cast<char*>(door) + 1), nullptr);
  EXPECT_EQ(BehindDoor(Address(First)), nullptr);
}

// Without a lock there is none that a thread, which the child has not got, may hold.
TEST(DoorsTest, AForkedChildHasItsDoorWhateverOtherThreadsDid) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) DoorTo(hook, Address(First));
  });
  int failed = 0;
  for (int i = 0; i < 200 && failed == 0; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(5);
      _exit(DoorTo(hook, Address(Second)) != nullptr ? 0 : 1);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    failed += status != 0 ? 1 : 0;
  }
  stop = true;
  other.join();
  EXPECT_EQ(failed, 0);
}

TEST(DoorsTest, WithoutADoorTheHookLooksForTheFunction) { EXPECT_EQ(PassOn(1, 1.0), -1000); }

// Takes all of them; 0 when that ended as it should.
int TakeAll() {
  static char address[10000];
  size_t made = 0;
  while (made < sizeof(address) && DoorTo(hook, address + made) != nullptr) ++made;
  const bool there_is_an_end = made > 4000 && made < sizeof(address);
  const bool old_ones_stay = DoorTo(hook, address) != nullptr;
  return there_is_an_end && old_ones_stay ? 0 : 1;
}

TEST(DoorsTest, HasAnEnd) {  // in a process of its own: no other test finds a door afterwards
  EXPECT_EXIT(_exit(TakeAll()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace flopsprof::injector
