import type { ComponentChildren } from 'preact'

/** Names and their values. Undefined values are left out. */
export function Facts({ items }: { items: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {items
        .filter(([, value]) => value !== undefined && value !== null && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="break">{value}</dd>
          </div>
        ))}
    </dl>
  )
}
