import type { Run, Step } from '../../api/types.ts'

interface CommandsOfProps {
  run: Pick<Run, 'runId' | 'finishedAt'>
  waits: readonly Pick<Step, 'ref' | 'waitsFor' | 'approval'>[]
}

/** The commands that show a run in a terminal, and that do what its page offers. */
export function commandsOf({ run: { runId, finishedAt }, waits }: CommandsOfProps): string[] {
  const [wait] = waits
  const step = wait && quoted(wait.ref)
  const why = wait?.approval?.needsComment ? ' --comment WHY' : ''
  return [
    `audience runs show ${runId}`,
    `audience runs logs ${runId}`,
    ...(wait?.waitsFor === 'approval' ? [`audience runs approve ${runId} ${step}${why}`] : []),
    ...(wait?.waitsFor === 'decision' ? [`audience runs resume ${runId} --step ${step} --done`] : []),
    finishedAt === undefined ? `audience runs cancel ${runId}` : `audience runs retry ${runId}`,
  ]
}

/** A word for a shell. */
function quoted(word: string): string {
  return /^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
