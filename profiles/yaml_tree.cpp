#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "profiles/config_tree.h"
#include "profiles/text_file.h"

namespace ndtune::profiles {
namespace {

// Builds the tree from the parser's events, so that anchors are never expanded (a few lines of them can stand for gigabytes).
class TreeBuilder : public YAML::EventHandler {
public:
    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ > 1) fail(mark, "the file holds more than one document");
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { scalar(mark, anchor, "null"); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { fail(mark, "aliases (*name) are not read"); }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
        scalar(mark, anchor, value);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        open(mark, anchor, ConfigNode::Kind::list);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        open(mark, anchor, ConfigNode::Kind::table);
    }
    void OnMapEnd() override { close(); }

    ConfigNode root;
    bool seen = false;
    std::string failure;
    int failure_line = 0;

private:
    void fail(const YAML::Mark& mark, std::string message) {
        if (!failure.empty()) return;
        failure = std::move(message);
        failure_line = mark.line + 1;
    }

    void scalar(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& value) {
        if (anchor != 0) return fail(mark, "anchors (&name) are not read");
        if (!failure.empty()) return;
        if (!open_.empty() && open_.back().node.kind == ConfigNode::Kind::table && !open_.back().has_key) {
            if (open_.back().node.find(value) != nullptr)
                return fail(mark, fmt::format("the key '{}' is given twice", printable(value, 40)));
            open_.back().key = value;
            open_.back().has_key = true;
            return;
        }
        ConfigNode node;
        node.text = value;
        node.line = mark.line + 1;
        add(std::move(node));
    }

    void open(const YAML::Mark& mark, YAML::anchor_t anchor, ConfigNode::Kind kind) {
        if (anchor != 0) return fail(mark, "anchors (&name) are not read");
        if (!failure.empty()) return;
        if (open_.size() >= kDeepestConfig)
            return fail(mark, fmt::format("the values are nested more than {} deep", kDeepestConfig));
        if (!open_.empty() && open_.back().node.kind == ConfigNode::Kind::table && !open_.back().has_key)
            return fail(mark, "a key must be a single word");
        Level level;
        level.node.kind = kind;
        level.node.line = mark.line + 1;
        open_.push_back(std::move(level));
    }

    void close() {
        if (!failure.empty() || open_.empty()) return;
        ConfigNode node = std::move(open_.back().node);
        open_.pop_back();
        add(std::move(node));
    }

    void add(ConfigNode node) {
        if (open_.empty()) {
            root = std::move(node);
            seen = true;
            return;
        }
        Level& level = open_.back();
        if (level.node.kind == ConfigNode::Kind::table) level.node.keys.push_back(std::move(level.key));
        level.has_key = false;
        level.node.items.push_back(std::move(node));
    }

    struct Level {
        ConfigNode node;
        std::string key;
        bool has_key = false;
    };
    std::vector<Level> open_;
    int documents_ = 0;
};

}  // namespace

Result<ConfigNode> parse_yaml(std::string_view text, std::string_view where) {
    if (const auto checked = check_config_text(text, where); !checked) return tl::unexpected(checked.error());
    TreeBuilder builder;
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        while (builder.failure.empty() && parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& e) {
        return bad_input(fmt::format("this is not YAML: {}", printable(e.msg, 200)),
                         fmt::format("{}:{}", where, e.mark.line + 1));
    } catch (const std::exception& e) {
        return bad_input(fmt::format("this YAML cannot be read: {}", e.what()), std::string(where));
    }
    if (!builder.failure.empty()) return bad_input(builder.failure, fmt::format("{}:{}", where, builder.failure_line));
    if (!builder.seen) return bad_input("the file is empty", std::string(where));
    return std::move(builder.root);
}

}  // namespace ndtune::profiles
