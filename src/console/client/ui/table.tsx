import type { ComponentChildren } from 'preact'
import { ScrollArea } from './scroll-area.tsx'

/** A real table. Where it is wider than the page, it scrolls by itself. */
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
    <ScrollArea class="table-frame" label={label}>
      <table class={dense ? 'dense' : undefined}>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollArea>
  )
}

export function Head({ children, right = false }: { readonly children?: ComponentChildren; readonly right?: boolean }) {
  return (
    <th scope="col" class={right ? 'right' : undefined}>
      {children}
    </th>
  )
}

/** The head of a column of buttons. */
export function ActionsHead() {
  return (
    <Head>
      <span class="hidden">Actions</span>
    </Head>
  )
}
