import type { Step } from '../../api/types.ts'
import { Time } from '../../ui/time.tsx'

/** The writes that a step recorded, as entries of a list. */
export function EffectList({ effects }: Pick<Step, 'effects'>) {
  return effects.map(({ name, at }) => (
    <li key={`${name} ${at}`}>
      {name}{' '}
      <span class="muted">
        <Time at={at} withZone />
      </span>
    </li>
  ))
}
