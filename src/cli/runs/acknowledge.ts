import { acknowledgeFailure } from '../../acts/acknowledge-failure.ts'
import { printable } from '../../core/printable.ts'
import { runNamed } from '../run-named.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withState } from '../with-state.ts'

/** Records that somebody has seen the failure of a run and the failures of the same kind. */
export async function acknowledge(given: string, flags: SignFlags, terminal: Terminal): Promise<number> {
  const signed = signedBy(flags, terminal)
  const runId = await runNamed(given, terminal)
  const { pipeline } = await withState(terminal, ({ runs }) =>
    acknowledgeFailure(runId, signed, { runs, clock: terminal.surroundings.clock }),
  )
  terminal.out.write(
    `acknowledged: failures of ${printable(pipeline)} with the same kind of error as in ${runId} are not listed as new until the pipeline succeeds or fails in another way\n`,
  )
  return 0
}
