import { ScrollArea } from './scroll-area.tsx'

/** A value as indented JSON. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    <ScrollArea class="code" label={label}>
      <pre>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
    </ScrollArea>
  )
}
