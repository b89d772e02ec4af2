import type { RunItem, StepItem } from '../../api/types.ts'

interface CommandsOfProps {
  run: Pick<RunItem, 'runId' | 'finishedAt'> & Partial<Pick<RunItem, 'triggerKind' | 'status'>>
  waits: readonly Pick<StepItem, 'ref' | 'waitsFor' | 'approval'>[]
}

/** The commands that show a run in a terminal, and that do what its page offers. */
export function commandsOf({ run: { runId, finishedAt, triggerKind, status }, waits }: CommandsOfProps): string[] {
  const [wait] = waits
  const step = wait && quoted(wait.ref)
  const why = wait?.approval?.needsComment ? ' --comment WHY' : ''
  // The file of a failed run was moved, so a retry would not find it.
  const isOfFile = triggerKind === 'watch' && status !== 'succeeded'
  const againOf = isOfFile ? `audience files drop-again ${runId}` : `audience runs retry ${runId}`
  return [
    `audience runs show ${runId}`,
    `audience runs logs ${runId}`,
    ...(wait?.waitsFor === 'approval' ? [`audience runs approve ${runId} ${step}${why}`] : []),
    ...(wait?.waitsFor === 'decision' ? [`audience runs resume ${runId} --step ${step} --done`] : []),
    ...(finishedAt === undefined ? [`audience runs cancel ${runId}`] : [againOf]),
  ]
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
