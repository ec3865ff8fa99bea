// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "collector/agent/tables/work.h"

namespace flopsprof::agent {

// Values that stay where they are, by index. As std::deque, but an index finds its value with a
// shift and not a division.
template <class Value>
class StableVector {
 public:
  Value& operator[](size_t index) { return (*chunks_[index / kChunk])[index % kChunk]; }
  const Value& operator[](size_t index) const { return (*chunks_[index / kChunk])[index % kChunk]; }
  void push_back(Value value) {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<Chunk>());
    (*this)[size_++] = std::move(value);
  }
  void clear() {
    chunks_.clear();
    size_ = 0;
  }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  static constexpr size_t kChunk = 32;
  using Chunk = std::array<Value, kChunk>;

  std::vector<std::unique_ptr<Chunk>> chunks_;
  size_t size_ = 0;
};

// Keyed rows that remember which of them have changed since they were last sent, and which row was
// asked for after which: work repeats in the same order, so that the next one is mostly found
// without a hash. One thread.
template <class Key, class Row>
class RowSet {
 public:
  explicit RowSet(size_t max_rows) : max_rows_(max_rows) {}

  // Index of the row, made when new, or kNoRow when there are max_rows of them (counted, as often
  // as it is used).
  uint32_t FindOrAdd(const Key& key, uint64_t uses = 1) {
    const Entry* entry = EntryOf(key, uses);
    return entry == nullptr ? kNoRow : entry->index;
  }

  // The same row, to be changed, or nullptr.
  Row* ChangeOrAdd(const Key& key) {
    Entry* entry = EntryOf(key, 1);
    return entry == nullptr ? nullptr : &Change(entry);
  }

  // Index of the row that was asked for after the last one the last time, to be changed, if
  // `same(key, row)`; else kNoRow, and FindOrAdd says which it is. For keys that are longer to make
  // than to compare.
  template <class Same>
  uint32_t ChangeNext(Same&& same) {
    if (last_ == nullptr) return kNoRow;
    Entry* next = last_->next;
    if (next->index == kNoRow || !same(next->key, std::as_const(next->row))) return kNoRow;
    Change(last_ = next);
    return next->index;
  }

  // Index of the row, or kNoRow.
  uint32_t Find(const Key& key) const {
    const auto found = index_.find(key);
    return found == index_.end() ? kNoRow : found->second;
  }

  // The row, for a change that need not be sent.
  Row& Hold(uint32_t index) { return rows_[index].row; }

  const Row& Held(uint32_t index) const { return rows_[index].row; }

  // The row, to be changed.
  Row& Change(uint32_t index) { return Change(&rows_[index]); }

  const Key& key(uint32_t index) const { return rows_[index].key; }

  // Calls emit(key, row) for changed rows until it has returned true `max` times; false = not
  // now, ask again. It may change other rows, which are then given out too. Returns how often it
  // returned true. What was sent is the receiver's: emit takes
  // it out of the row.
  template <class Emit>
  size_t EmitChanged(size_t max, Emit&& emit) {
    std::vector<uint32_t> todo = std::move(changed_);
    changed_.clear();
    size_t emitted = 0;
    for (size_t i = 0; i < todo.size(); i++) {
      Entry& entry = rows_[todo[i]];
      if (emitted < max) {
        entry.changed = false;  // before emit, which may change rows of this set
        const size_t before = changed_.size();
        if (emit(entry.key, entry.row)) {
          emitted++;
          // Rows that it has changed may have been given out already, and are again.
          todo.insert(todo.end(), changed_.begin() + static_cast<ptrdiff_t>(before),
                      changed_.end());
          changed_.resize(before);
          continue;
        }
        if (entry.changed) continue;
        entry.changed = true;
      }
      changed_.push_back(todo[i]);
    }
    return emitted;
  }

  // Row and index are free for another key. Needs: it has not changed since it was emitted.
  void Forget(uint32_t index) {
    Entry& entry = rows_[index];
    index_.erase(entry.key);
    entry.key = Key();
    entry.row = Row();
    entry.index = kNoRow;
    free_.push_back(index);
  }
  bool IsChanged(uint32_t index) const { return rows_[index].changed; }
  // Calls visit(index, key) for each row.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (const auto& [key, index] : index_) visit(index, key);
  }

  // Only what was refused stays known.
  void Clear() {
    index_.clear();
    rows_.clear();
    changed_.clear();
    free_.clear();
    last_ = nullptr;
  }

  size_t size() const { return index_.size(); }
  uint64_t refused_count() const { return refused_count_; }

 private:
  struct Entry {
    Key key = {};
    Entry* next = nullptr;  // the row that was asked for after this one
    uint32_t index = 0;     // kNoRow: free
    bool changed = false;
    Row row = {};
  };

  Entry* EntryOf(const Key& key, uint64_t uses) {
    if (last_ != nullptr && last_->next->key == key && last_->next->index != kNoRow) {
      return last_ = last_->next;
    }
    return EntryByHash(key, uses);
  }

  Entry* EntryByHash(const Key& key, uint64_t uses) {
    const uint32_t place = free_.empty() ? static_cast<uint32_t>(rows_.size()) : free_.back();
    const auto [found, added] = index_.try_emplace(key, place);
    if (added) {
      if (index_.size() > max_rows_) {
        index_.erase(found);
        refused_count_ += uses;
        return nullptr;
      }
      if (place == rows_.size()) {
        rows_.push_back({key, nullptr, place, false, Row()});
      } else {
        free_.pop_back();
        rows_[place].key = key;
        rows_[place].index = place;
      }
      Entry& entry = rows_[place];
      entry.next = &entry;
    }
    Entry* entry = &rows_[found->second];
    if (last_ != nullptr) last_->next = entry;
    return last_ = entry;
  }

  Row& Change(Entry* entry) {
    if (!entry->changed) {
      entry->changed = true;
      changed_.push_back(entry->index);
    }
    return entry->row;
  }

  const size_t max_rows_;
  absl::flat_hash_map<Key, uint32_t> index_;
  StableVector<Entry> rows_;
  std::vector<uint32_t> changed_;
  std::vector<uint32_t> free_;
  Entry* last_ = nullptr;  // the row that was asked for last
  uint64_t refused_count_ = 0;
};

}  // namespace flopsprof::agent
