import type { Pipeline } from '../../api/types.ts'
import { runAddress } from '../../runs/run-link.tsx'
import { standingOf } from '../../runs/standing-of.ts'
import { timeText } from '../../time/format-time.ts'
import { zone } from '../../time/zone.ts'
import { Icon } from '../../ui/icon.tsx'
import { lookOf } from '../../ui/status.tsx'

/** The last runs of a pipeline, oldest first: each a link with an icon and a colour, and for readers a word and a time. */
export function RunStrip({ pipeline: { name, newest } }: { pipeline: Pipeline }) {
  return (
    <ol class="run-strip" aria-label={`Last runs of ${name}, oldest first`}>
      {newest.map((run) => {
        const standing = standingOf(run)
        const { icon, tone, text } = lookOf(standing.status)
        const said = `${standing.text ?? text}, ${timeText(Date.parse(run.submittedAt), zone.value, Date.now())}`
        return (
          <li key={run.runId}>
            <a href={runAddress(run.runId)} class={tone} title={said} aria-label={said}>
              <Icon name={icon} spins={run.status === 'running'} />
            </a>
          </li>
        )
      })}
    </ol>
  )
}
