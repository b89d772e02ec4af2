import { formatNumber } from '../../../../core/format/figures.ts'
import type { Overview, RunStatus } from '../../api/types.ts'
import { to } from '../../router/location.ts'
import { Icon } from '../../ui/icon.tsx'
import { lookOf } from '../../ui/status.tsx'

const TILES: readonly (readonly [status: RunStatus, when: string])[] = [
  ['waiting', 'now'],
  ['running', 'now'],
  ['queued', 'now'],
  ['succeeded', '24 hours'],
  ['failed', '24 hours'],
  ['cancelled', '24 hours'],
]

/** How many runs there are of each kind, as links to them. */
export function Counts({ counts }: { readonly counts: Overview['counts'] }) {
  return (
    <section class="section" aria-label="Counts of runs">
      <div class="tiles">
        {TILES.map(([status, when]) => {
          const { icon, tone, text } = lookOf(status)
          return (
            <a key={status} href={to('/runs', { status })}>
              <strong class={counts[status] > 0 ? tone : 'muted'}>{formatNumber(counts[status])}</strong>
              <span class="status">
                <Icon name={icon} />
                {status === 'waiting' ? 'Waiting' : text}
              </span>
              <small>{when}</small>
            </a>
          )
        })}
      </div>
    </section>
  )
}
