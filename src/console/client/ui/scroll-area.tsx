import type { ComponentChildren, Ref } from 'preact'

/** A named part of a page that scrolls by itself. */
export function ScrollArea({
  label,
  class: className,
  frame = null,
  children,
}: {
  readonly label: string
  readonly class: string
  /** Receives the element, for what sets its place. */
  readonly frame?: Ref<HTMLElement>
  readonly children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard.
    <section class={className} aria-label={label} tabIndex={0} ref={frame}>
      {children}
    </section>
  )
}
