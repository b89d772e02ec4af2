import type { Command } from 'commander'
import { usageError } from '../../core/errors.ts'
import { triggerName } from '../../core/occurrence.ts'
import { lookAtRuns } from '../look-at-runs.ts'
import type { Terminal } from '../terminal.ts'
import { commandTree } from './command-tree.ts'
import { bashScript, fishScript, zshScript } from './shell-scripts.ts'
import { SHELLS, type Shell } from './shells.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Record<Shell, unknown>

/** Prints the script of a shell, or the values that such a script requests. */
export async function printCompletion(
  asked: { shell: string | undefined; list: string | undefined; program: Command },
  terminal: Terminal,
): Promise<number> {
  const { list, program } = asked
  if (list !== undefined) {
    for (const line of await listValues(list, terminal)) terminal.out.write(`${line}\n`)
    return 0
  }
  const shell = SHELLS.find((candidate) => candidate === asked.shell)
  if (!shell) {
    throw usageError('no-shell', 'name the shell', `audience completion ${SHELLS.join('|')}`)
  }
  terminal.out.write(SCRIPTS[shell](commandTree(program)))
  return 0
}

const MOST_RUNS = 50

/** The values of a kind, one per line, each with a note after a tab; none if they cannot be read. */
async function listValues(what: string, terminal: Terminal): Promise<readonly string[]> {
  try {
    if (what === 'schedule') return await schedules(terminal)
    return await lookAtRuns(terminal, async (runs) => {
      if (what === 'pipeline') return runs.pipelines()
      const { rows } = await runs.page({ limit: MOST_RUNS })
      return [
        'latest\tthe newest run',
        ...rows.map(({ runId, pipeline, status }) => `${runId}\t${pipeline}, ${status}`),
      ]
    })
  } catch {
    // A shell that completes a word cannot show an error.
    return []
  }
}

async function schedules(terminal: Terminal): Promise<readonly string[]> {
  const { findSchedules } = await import('../schedule/find-schedules.ts')
  const silent = Object.assign(Object.create(terminal.err), { write: () => true })
  const { schedules: found } = await findSchedules(undefined, { ...terminal, err: silent })
  return [...new Set(found.flatMap(({ ref }) => [ref.pipeline, triggerName(ref)]))]
}
