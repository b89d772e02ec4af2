import { signal } from '@preact/signals'
import { Icon } from './icon.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'bad'
}

const toasts = signal<readonly Toast[]>([])
const LASTS_MS = 6000
let lastId = 0

/** Briefly shows what happened. */
export function toast(text: string, tone: Toast['tone'] = 'good'): void {
  lastId += 1
  const id = lastId
  toasts.value = [...toasts.peek(), { id, text, tone }]
  setTimeout(() => {
    toasts.value = toasts.peek().filter((one) => one.id !== id)
  }, LASTS_MS)
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone }) => (
        <div class={`toast ${tone}`} key={id}>
          <Icon name={tone === 'good' ? 'check' : 'warning'} />
          {text}
        </div>
      ))}
    </div>
  )
}
