import type { ComponentChildren, Ref } from 'preact'

interface ScrollAreaProps {
  label: string
  class: string
  /** Receives the element, so that the caller can scroll it. */
  frame?: Ref<HTMLElement>
  children: ComponentChildren
}

/** A named part of a page that scrolls separately. */
export function ScrollArea({ label, class: className, frame = null, children }: ScrollAreaProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: anything that scrolls must be reachable with the keyboard.
    <section class={className} aria-label={label} tabIndex={0} ref={frame}>
      {children}
    </section>
  )
}
