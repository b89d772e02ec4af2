import type { ComponentChildren } from 'preact'

/** A real table. On narrow screens each row becomes a card; `head` cells give the labels through `data-label`. */
export function Table({
  label,
  head,
  children,
  dense = false,
}: {
  readonly label: string
  readonly head: ComponentChildren
  readonly children: ComponentChildren
  readonly dense?: boolean
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard.
    <section class="table-frame" aria-label={label} tabIndex={0}>
      <table class={dense ? 'dense' : undefined}>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

export function Head({ children, right = false }: { readonly children?: ComponentChildren; readonly right?: boolean }) {
  return (
    <th scope="col" class={right ? 'right' : undefined}>
      {children}
    </th>
  )
}
