import type { Command } from 'commander'
import { AudienceError } from '../../core/errors.ts'
import type { Terminal } from '../terminal.ts'
import { bashScript } from './bash-script.ts'
import { commandTree } from './command-tree.ts'
import { fishScript } from './fish-script.ts'
import { listValues } from './list-values.ts'
import { SHELLS, type Shell } from './shells.ts'
import { zshScript } from './zsh-script.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Record<Shell, unknown>

/** Prints the script of a shell, or what such a script asks for. */
export async function printCompletion(
  asked: { readonly shell: string | undefined; readonly list: string | undefined; readonly program: Command },
  terminal: Terminal,
): Promise<number> {
  const { list, program } = asked
  if (list !== undefined) {
    for (const line of await listValues(list, terminal)) terminal.out.write(`${line}\n`)
    return 0
  }
  const shell = SHELLS.find((candidate) => candidate === asked.shell)
  if (!shell) {
    throw new AudienceError({
      code: 'no-shell',
      kind: 'usage',
      message: 'name the shell',
      hint: `audience completion ${SHELLS.join('|')}`,
    })
  }
  terminal.out.write(SCRIPTS[shell](commandTree(program)))
  return 0
}
