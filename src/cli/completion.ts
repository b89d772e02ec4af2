import { Argument, Option } from 'commander'
import { AudienceCommand, type CommandSetting } from './command.ts'
import { LISTS, SHELLS } from './completion/shells.ts'

/** `audience completion SHELL`. By the time it is called, its parent command has all commands. */
export function completionCommand(setting: CommandSetting): AudienceCommand {
  const { terminal, finish } = setting
  return new AudienceCommand('completion', setting)
    .description('Prints a script that lets a shell complete commands, options, runs, pipelines and schedules.')
    .addArgument(new Argument('[shell]', 'the shell').choices(SHELLS))
    .addOption(
      new Option('--list <what>', 'print the values that a completion script requests').choices(LISTS).hideHelp(),
    )
    .examples(`
  eval "$(audience completion bash)"                                        in ~/.bashrc
  eval "$(audience completion zsh)"                                         in ~/.zshrc, after compinit
  audience completion fish > ~/.config/fish/completions/audience.fish

\`npx audience\` is not completed: in a project, PATH="$PWD/node_modules/.bin:$PATH" makes \`audience\` a command.
`)
    .action(async (shell: string | undefined, { list }: { list?: string }, command: AudienceCommand) => {
      const { printCompletion } = await import('./completion/print-completion.ts')
      finish(await printCompletion({ shell, list, program: command.parent ?? command }, terminal))
    })
}
