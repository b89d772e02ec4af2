import type { RunDetail } from '../../api/types.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { commandsOf } from './commands.ts'

/** What to type in a terminal for the run that is shown. */
export function CommandList({ detail }: { readonly detail: RunDetail }) {
  return (
    <details class="disclosure commands">
      <summary>On the command line</summary>
      <ul class="history">
        {commandsOf(detail).map((command) => (
          <li key={command}>
            <code class="break">{command}</code> <CopyButton text={command} what="Command" />
          </li>
        ))}
      </ul>
    </details>
  )
}
