// SPDX-License-Identifier: GPL-2.0
#include <map>
#include <memory>
#include <string>

#include "cli/program_text.h"
#include "util/file.h"
#include "util/output.h"
#include "util/work.h"

namespace fdirect {

void add_generate_command(CLI::App& program, int& code) {
    auto* command = program.add_subcommand("generate", "Write the man page or the completion");
    command->group(""); // for the build, and hidden
    auto form = std::make_shared<std::string>();
    auto file = std::make_shared<std::string>();
    static const std::map<std::string, std::string (*)(const CLI::App&)> forms = {
        {"man", man_page}, {"bash", bash_completion}, {"zsh", zsh_completion}};
    command->add_option("form", *form, "man, bash or zsh")
        ->required()
        ->check(CLI::IsMember(&forms));
    command->add_option("--output", *file, "File to write to instead of stdout");
    command->callback([&program, &code, form, file] {
        code = run_command([&]() -> Result<> {
            auto text = forms.at(*form)(program);
            return file->empty() ? write_out(text) : replace_file(*file, text);
        });
    });
}

} // namespace fdirect
