import { Command } from 'commander'
import { BY_OPTION } from './options.ts'
import type { Terminal } from './terminal.ts'

/** What each command gets: the terminal, and a function that takes its exit code. */
export interface CommandSetting {
  readonly terminal: Terminal
  readonly finish: (exitCode: number) => void
}

/** A command of `audience`. Its subcommands are of this class, too. */
export class AudienceCommand extends Command {
  readonly #setting: CommandSetting

  constructor(name: string | undefined, setting: CommandSetting) {
    super(name)
    this.#setting = setting
  }

  override createCommand(name?: string): AudienceCommand {
    return new AudienceCommand(name, this.#setting)
  }

  /**
   * Shows examples below the help. `lines`: one example per line, each after two spaces, with a line break before the
   * first and after the last.
   */
  examples(lines: string): this {
    return this.addHelpText('after', `\nExamples:${lines}`)
  }

  /** Adds the options that `signedBy` reads: who gives the command, and `why`. */
  signed(why = 'why, kept with the run'): this {
    return this.option(...BY_OPTION).option('--comment <text>', why)
  }

  /**
   * Loads a function and calls it with the arguments, the flags and the terminal. It returns the exit code, or throws an
   * AudienceError.
   */
  calls<Given extends readonly unknown[], Flags extends object>(
    load: () => Promise<(...given: [...Given, Flags, Terminal]) => number | Promise<number>>,
  ): this {
    const { terminal, finish } = this.#setting
    return this.action(async (...given: unknown[]) => {
      const run = await load()
      // The last argument is the command itself.
      finish(await run(...(given.slice(0, -1) as unknown as [...Given, Flags]), terminal))
    })
  }
}
