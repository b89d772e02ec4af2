import type { ComponentChildren } from 'preact'
import type { CallError } from '../api/call-error.ts'
import { Icon, type IconName } from './icon.tsx'

/** What a page or a section shows instead of rows. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>
}

/**
 * Placeholders for rows that are being loaded. They take up as much space as rows, so that nothing moves when the rows
 * arrive.
 */
export function Loading({ rows = 3 }: { rows?: number }) {
  return (
    <div class="loading" role="status">
      <span class="hidden">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        <span class="bone" key={index} />
      ))}
    </div>
  )
}

export function Problem({ error, retry }: { error: CallError; retry?: () => void }) {
  return (
    <Notice tone="bad" icon="warning">
      <strong>{error.message}</strong>
      {error.hint !== undefined && <span>{error.hint}</span>}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </Notice>
  )
}

interface NoticeProps {
  tone: 'bad' | 'wait' | 'busy' | 'good' | 'quiet'
  icon: IconName
  children: ComponentChildren
}

export function Notice({ tone, icon, children }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  )
}
