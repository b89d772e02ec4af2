/** A value as indented JSON. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard.
    <section class="code" aria-label={label} tabIndex={0}>
      <pre>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
    </section>
  )
}
