// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/profile_bounds.h"

#include <absl/strings/str_format.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/base/utf8.h"

namespace flopsprof::model {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::string_view kCutMark = "\xe2\x80\xa6#";  // "…#"
constexpr size_t kHashDigits = 16;
constexpr size_t kCutBytes = kCutMark.size() + kHashDigits;
// A name below this has neither too many bytes nor too many parts.
constexpr size_t kShortName = kMaxPathParts;

// FNV-1a: the same number in every version, because names are keys.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

// Where a path has its last part that is kept; its size when all are.
size_t EndOfParts(std::string_view path) {
  if (path.size() < kMaxPathParts) return path.size();
  const auto dots = static_cast<size_t>(std::count(path.begin(), path.end(), '.'));
  if (dots < kMaxPathParts) return path.size();
  size_t end = 0;
  for (size_t parts = 1; parts < kMaxPathParts; ++parts) end = path.find('.', end) + 1;
  return end - 1;
}

// The fields of one kind of row that are names.
struct NameFields {
  const FieldDescriptor* rows;
  std::vector<std::pair<const FieldDescriptor*, bool>> names;  // with "is a path"
};

bool IsText(const std::string& field) {
  return field == "shape" || field == "detail" || field == "frames" || field == "weights";
}

const std::vector<NameFields>& AllNameFields() {
  static const auto* const kFields = [] {
    auto* all = new std::vector<NameFields>;
    const Descriptor& process = *v1::ProcessProfile::descriptor();
    for (int i = 0; i < process.field_count(); ++i) {
      const FieldDescriptor* rows = process.field(i);
      if (!rows->is_repeated() || rows->is_map()) continue;
      NameFields fields = {rows, {}};
      const Descriptor& row = *rows->message_type();
      for (int j = 0; j < row.field_count(); ++j) {
        const FieldDescriptor* field = row.field(j);
        if (field->is_repeated() || field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
        if (IsText(field->name()) || field->type() == FieldDescriptor::TYPE_BYTES) continue;
        const bool is_path = field->name() == "path" || field->name() == "alias" ||
                             (&row == v1::Scope::descriptor() && field->name() == "name");
        fields.names.emplace_back(field, is_path);
      }
      if (!fields.names.empty()) all->push_back(std::move(fields));
    }
    return all;
  }();
  return *kFields;
}

bool FitsName(const std::string& name, bool is_path) {
  return name.size() < kShortName ||
         (name.size() <= kMaxNameBytes && (!is_path || EndOfParts(name) == name.size()));
}

// Calls visit(row, field, is_path, text) for every name of 256 bytes or more in a row.
template <typename Visit>
void ForEachLongName(const v1::ProcessProfile& process, Visit visit) {
  const Reflection& reflection = *process.GetReflection();
  std::string scratch;
  for (const NameFields& fields : AllNameFields()) {
    const int count = reflection.FieldSize(process, fields.rows);
    for (int i = 0; i < count; ++i) {
      const Message& row = reflection.GetRepeatedMessage(process, fields.rows, i);
      for (const auto& [field, is_path] : fields.names) {
        const std::string& text = row.GetReflection()->GetStringReference(row, field, &scratch);
        if (text.size() >= kShortName) visit(fields.rows, i, field, is_path, text);
      }
    }
  }
}

template <typename Map>
bool AnyLongKey(const Map& map) {
  return std::any_of(map.begin(), map.end(),
                     [](const auto& entry) { return !FitsName(entry.first, false); });
}

template <typename Map>
void CutKeys(Map* map) {
  if (!AnyLongKey(*map)) return;
  Map cut;
  for (auto& [key, value] : *map) cut[BoundedName(key, false)] = value;
  map->swap(cut);
}

// What becomes of the scopes of one process.
class ScopeBounds {
 public:
  explicit ScopeBounds(const v1::ProcessProfile& process) : process_(process) {
    const int count = process.scopes_size();
    facts_.resize(static_cast<size_t>(count));
    at_.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) at_[process.scopes(i).id()] = i;
    for (int i = 0; i < count; ++i) Decide(i);
  }

  uint64_t cut_count() const { return cut_count_; }

  void Apply(v1::ProcessProfile* process) const {
    for (int i = 0; i < process->scopes_size(); ++i) {
      const Facts& facts = facts_[static_cast<size_t>(i)];
      if (!facts.changed) continue;
      v1::Scope& scope = *process->mutable_scopes(i);
      scope.set_parent(facts.parent);
      if (!facts.deeper) continue;
      scope.set_kind(v1::SCOPE_KIND_RANGE);
      scope.set_name(std::string(kDeeperName));
      scope.clear_class_name();
      scope.clear_object();
    }
  }

 private:
  struct Facts {
    uint32_t parent = 0;
    uint32_t depth = 0;  // 1 at the top; 0: not decided
    // Of the modules above it, and of the ranges since the last of them.
    size_t module_bytes = 0, module_parts = 0, range_bytes = 0;
    bool open = false;
    bool changed = false;
    bool deeper = false;  // becomes a range of that name
  };

  // The scope's position; -1: nothing describes it.
  int Find(uint32_t id) const {
    const auto found = at_.find(id);
    return id == 0 || found == at_.end() ? -1 : found->second;
  }

  // From the scope up to one that is decided, then down again.
  void Decide(int scope) {
    std::vector<int> way;
    int at = scope;
    while (at >= 0 && facts_[static_cast<size_t>(at)].depth == 0) {
      Facts& facts = facts_[static_cast<size_t>(at)];
      if (facts.open) break;  // a circle: cut where it closes
      facts.open = true;
      way.push_back(at);
      at = Find(process_.scopes(at).parent());
    }
    for (auto next = way.rbegin(); next != way.rend(); ++next) DecideBelowParent(*next);
  }

  void DecideBelowParent(int index) {
    const v1::Scope& scope = process_.scopes(index);
    Facts& facts = facts_[static_cast<size_t>(index)];
    const int above = Find(scope.parent());
    const Facts none;
    const bool closed = above >= 0 && facts_[static_cast<size_t>(above)].depth == 0;
    const Facts& parent = above < 0 || closed ? none : facts_[static_cast<size_t>(above)];
    facts.parent = closed ? 0 : scope.parent();
    facts.changed = closed;
    facts.depth = parent.depth + 1;
    facts.module_bytes = parent.module_bytes;
    facts.module_parts = parent.module_parts;
    facts.range_bytes = parent.range_bytes;
    const size_t bytes = scope.name().size() + 1;
    if (scope.kind() == v1::SCOPE_KIND_MODULE) {
      facts.module_bytes += bytes + (scope.name().empty() ? scope.class_name().size() + 2 : 0);
      facts.module_parts +=
          static_cast<size_t>(std::count(scope.name().begin(), scope.name().end(), '.')) + 1;
      facts.range_bytes = 0;
      facts.deeper = facts.depth > kMaxScopes || facts.module_bytes > kMaxNameBytes ||
                     facts.module_parts > kMaxPathParts;
    } else {
      facts.range_bytes += bytes;
      facts.deeper = facts.depth > kMaxRangeScopes || facts.range_bytes > kMaxNameBytes;
    }
    if (facts.deeper && scope.name() == kDeeperName && scope.kind() == v1::SCOPE_KIND_RANGE &&
        facts.depth <= kMaxScopes + 1) {
      facts.deeper = false;  // bounded before
    }
    if (facts.deeper) {
      facts.changed = true;
      facts.module_bytes = parent.module_bytes;
      facts.module_parts = parent.module_parts;
      facts.range_bytes = parent.range_bytes + kDeeperName.size() + 1;
      if (parent.deeper) {  // beside it
        facts.parent = parent.parent;
        facts.depth = parent.depth;
        facts.range_bytes = parent.range_bytes;
      }
    }
    cut_count_ += facts.changed ? 1 : 0;
  }

  const v1::ProcessProfile& process_;
  std::unordered_map<uint32_t, int> at_;
  std::vector<Facts> facts_;
  uint64_t cut_count_ = 0;
};

// Different names that were cut, here or before.
uint64_t CountCutNames(const v1::ProcessProfile& process) {
  std::set<std::string> names;
  ForEachLongName(process, [&](const auto*, int, const auto*, bool, const std::string& text) {
    if (IsCutName(text)) names.insert(text);
  });
  for (const auto& [id, text] : process.strings()) {
    if (IsCutName(text)) names.insert(text);
  }
  return names.size();
}

}  // namespace

std::string BoundedName(const std::string& name, bool is_path) {
  if (name.size() < kShortName) return name;
  size_t end = name.size() > kMaxNameBytes ? kMaxNameBytes - kCutBytes : name.size();
  if (is_path) end = std::min(end, EndOfParts(name));
  if (end == name.size()) return name;
  end = base::EndOfCharacter(name, end);
  return name.substr(0, end) + std::string(kCutMark) + absl::StrFormat("%016x", HashOf(name));
}

bool IsCutName(std::string_view name) {
  if (name.size() < kShortName) return false;
  const std::string_view mark = name.substr(name.size() - kCutBytes);
  return mark.substr(0, kCutMark.size()) == kCutMark &&
         mark.substr(kCutMark.size()).find_first_not_of("0123456789abcdef") == mark.npos;
}

void CutNames(v1::ProcessProfile* process) {
  const Reflection& reflection = *process->GetReflection();
  // Fields of rows that are there already are changed in place.
  ForEachLongName(*process, [&](const FieldDescriptor* rows, int i, const FieldDescriptor* field,
                                bool is_path, const std::string& text) {
    if (FitsName(text, is_path)) return;
    std::string cut = BoundedName(text, is_path);
    Message* row = reflection.MutableRepeatedMessage(process, rows, i);
    row->GetReflection()->SetString(row, field, std::move(cut));
  });
  for (auto& [id, text] : *process->mutable_strings()) {
    if (!FitsName(text, false)) text = BoundedName(text, false);
  }
  CutKeys(process->mutable_loss());
  CutKeys(process->mutable_notes());
  if (!FitsName(process->key().node(), false)) {
    process->mutable_key()->set_node(BoundedName(process->key().node(), false));
  }
}

void BoundProfile(v1::ProcessProfile* process, size_t longest_text_bytes) {
  uint64_t names_cut = 0;
  if (longest_text_bytes >= kShortName) {
    CutNames(process);
    names_cut = CountCutNames(*process);  // before scopes with such names are folded
  }
  const ScopeBounds bounds(*process);
  bounds.Apply(process);
  const auto count = [process](const char* name, uint64_t cut) {
    if (cut == 0) return;
    uint64_t& known = (*process->mutable_loss())[name];
    known = std::max(known, cut);
  };
  count("names_cut", names_cut);
  count("scopes_cut", bounds.cut_count());
}

bool IsBounded(const v1::ProcessProfile& process) {
  bool fits = FitsName(process.key().node(), false) && !AnyLongKey(process.loss()) &&
              !AnyLongKey(process.notes());
  ForEachLongName(process,
                  [&](const auto*, int, const auto*, bool is_path, const std::string& text) {
                    fits = fits && FitsName(text, is_path);
                  });
  for (const auto& [id, text] : process.strings()) fits = fits && FitsName(text, false);
  return fits && ScopeBounds(process).cut_count() == 0;
}

}  // namespace flopsprof::model
