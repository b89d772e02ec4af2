import { Command } from 'commander'

/** A command of `audience`. Its commands are of this class, too. */
export class AudienceCommand extends Command {
  override createCommand(name?: string): AudienceCommand {
    return new AudienceCommand(name)
  }

  /** Shows examples below the help. `lines`: one example a line, after two spaces, with a line break at both ends. */
  examples(lines: string): this {
    return this.addHelpText('after', `\nExamples:${lines}`)
  }
}
