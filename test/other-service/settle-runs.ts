import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './nights.ts'

/** An event of a step execution. */
export interface Told {
  readonly event: string
  readonly runId: string
  readonly step?: string
  readonly index?: number
  readonly status?: string
  readonly by?: { readonly runId: string }
  readonly outputs?: Readonly<Record<string, unknown>>
}

/** A command that executes a run, and the id of that run if it is known in advance. */
export type Command = ReturnType<Bench['start']> & { readonly runId?: string }

/** A test that hangs fails and says what is hanging. */
const LONGEST_MS = 100_000

export function eventsOf({ text }: Pick<Command, 'text'>): Told[] {
  const lines = text()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
  return lines.map((line) => JSON.parse(line) as Told)
}

/**
 * Waits until all commands have ended. If a run asks a person and nothing else in the run can continue, it is
 * cancelled, so that other runs need not wait for it. Resolves with the events of each run.
 */
export async function settled(
  bench: Bench,
  commands: readonly Command[],
): Promise<ReadonlyMap<string, readonly Told[]>> {
  const open = new Set(commands)
  for (const command of commands) void command.ended.finally(() => open.delete(command))
  const runOf = (command: Command) => command.runId ?? eventsOf(command)[0]?.runId
  const toldOf = (runId: string) => commands.filter((command) => runOf(command) === runId).flatMap(eventsOf)
  const stopped = new Set<Command>()
  const givenUp = new Set<string>()
  const until = performance.now() + LONGEST_MS
  for (;;) {
    const working = new Set([...open].map(runOf))
    const runs = [...new Set(commands.map(runOf).filter((runId) => runId !== undefined))]
    for (const runId of runs) {
      const told = toldOf(runId)
      const isOver = givenUp.has(runId) || told.some(({ event }) => event === 'run.finished')
      if (isOver) continue
      if (!working.has(runId)) {
        givenUp.add(runId)
        await bench.audience(['runs', 'cancel', runId])
      } else if (isAsked(told)) {
        // Commands in the same process cannot see who owns a run, so nobody may execute it while it is cancelled.
        for (const command of open) {
          if (runOf(command) !== runId || stopped.has(command)) continue
          stopped.add(command)
          command.stop()
        }
      }
    }
    if (open.size === 0 && working.size === 0) return new Map(runs.map((runId) => [runId, toldOf(runId)]))
    if (performance.now() > until) throw new Error(`it hangs:\n${[...open].map(({ text }) => text()).join('\n---\n')}`)
    await sleep(10)
  }
}

/** A person is asked, and nothing that has started can continue without the answer. */
function isAsked(told: readonly Told[]): boolean {
  const last = new Map<string, Told>()
  for (const one of told) if (one.event !== 'job.status') last.set(`${one.step} ${one.index}`, one)
  const going = [...last.values()].filter(({ step, event }) => step !== undefined && event !== 'step.finished')
  const waits = ({ event, by, runId }: Told) =>
    event === 'step.waiting' || (event === 'step.blocked' && by?.runId === runId)
  return going.some(({ event }) => event === 'step.waiting') && going.every(waits)
}
