import type { Overview } from '../api/types.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { RunLink } from './run-link.tsx'

/** Steps that are waiting for another step, and the commands that free them. */
export function BlockedSteps({ steps, withRun }: { steps: Overview['blocked']; withRun: boolean }) {
  return (
    <ul class="items" aria-label="Waits for another step">
      {steps.map(({ runId, ref, message, commands }) => (
        <li key={`${runId} ${ref}`}>
          <div class="what">
            <div class="break">
              {withRun && <RunLink runId={runId} />} <strong>{ref}</strong> {message}
            </div>
            {commands.map((command) => (
              <span class="under" key={command}>
                <code class="break">{command}</code> <CopyButton text={command} what="Command" />
              </span>
            ))}
          </div>
        </li>
      ))}
    </ul>
  )
}
