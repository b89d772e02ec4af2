import { Icon } from './icon.tsx'
import { toast } from './toasts.tsx'

/** Copies a text. The clipboard exists only for pages over HTTPS or from this machine. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  if (!('clipboard' in navigator)) return null
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      toast(`${what} copied`)
    } catch {
      toast(`The browser does not let this page copy`, 'bad')
    }
  }
  return (
    <button type="button" class="bare" onClick={copy} aria-label={`Copy ${what}`} title={`Copy ${what}`}>
      <Icon name="copy" />
    </button>
  )
}
