import { type Command, CommanderError } from 'commander'
import { AudienceError, EXIT_CODES } from '../core/errors.ts'
import { printable } from '../core/printable.ts'
import { STATE_REPLACED } from '../state/state-damage.ts'
import { makeProgram } from './program.ts'
import { type OpenTerminal, processTerminal, type Terminal, withoutSecrets } from './terminal.ts'
import { renderError } from './views/render-error.ts'

/** Runs a command line and returns its exit code: 0, or the code of the error's kind (see EXIT_CODES). */
export async function runCommandLine(args: readonly string[], given?: OpenTerminal): Promise<number> {
  let terminal: Terminal
  try {
    terminal = withoutSecrets(given ?? processTerminal())
  } catch (error) {
    process.stderr.write(renderError(error, process.stderr))
    return exitCodeOf(error)
  }
  terminal.onCrash?.((error) => terminal.err.write(renderError(error, terminal.err)))
  let exitCode = 0
  let program: Command | undefined
  const finish = (code: number) => {
    exitCode = code
  }
  try {
    const [first, second] = withoutConfig(args)
    const called = first === 'help' ? second : first
    program = await makeProgram({
      terminal,
      finish,
      // Completion needs all commands.
      isNeeded: (name) => name === called || (called === 'completion' && !args.includes('--list')),
      output: {
        writeOut: (text) => terminal.out.write(text),
        writeErr: (text) => terminal.err.write(text),
        outputError: (text, write) => write(printableRefusal(text)),
      },
    })
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      terminal.err.write(`What to do: ${program ? nameOf(program, args) : 'audience'} --help shows how to write it\n`)
      return EXIT_CODES.usage
    }
    terminal.err.write(renderError(error, terminal.err))
    // The process ends without closing its open files, because closing them would remove the log of the database that
    // is now at the same path.
    if (error instanceof AudienceError && error.code === STATE_REPLACED) process.exit(EXIT_CODES.failed)
    return exitCodeOf(error)
  }
}

/**
 * What commander says about an argument, made safe for a terminal, because commander repeats the argument unchanged. A
 * suggestion from commander is a separate line.
 */
function printableRefusal(text: string): string {
  const [, said = text, suggestion = ''] = /^(.*?)(\n\(Did you mean [^\n]*\))?\n$/s.exec(text) ?? []
  return `${printable(said)}${suggestion}\n`
}

function exitCodeOf(error: unknown): number {
  return error instanceof AudienceError ? EXIT_CODES[error.kind] : EXIT_CODES.failed
}

/** The command that was called, such as `audience runs show`. */
function nameOf(program: Command, args: readonly string[]): string {
  const names = [program.name()]
  let command: Command | undefined = program
  for (const arg of withoutConfig(args)) {
    command = command.commands.find((child) => child.name() === arg)
    if (!command) break
    names.push(arg)
  }
  return names.join(' ')
}

/** Removes `--config`, which every command has, if it comes before the command's name. */
function withoutConfig(args: readonly string[]): readonly string[] {
  if (args[0] === '--config') return args.slice(2)
  return args[0]?.startsWith('--config=') ? args.slice(1) : args
}
