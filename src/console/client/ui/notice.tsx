import type { ComponentChildren } from 'preact'
import type { CallError } from '../api/call-error.ts'
import { Icon, type IconName } from './icon.tsx'
import type { Tone } from './status.tsx'

/** What a page or a section shows instead of rows. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>
}

/** Placeholders as high as the rows that are being loaded, so that nothing moves when the rows arrive. */
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

export function ProblemNotice({ error, retry }: { error: CallError; retry?: () => void }) {
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

/** The error of a run or step: a record with a message, and often with a code and a hint. */
export function ErrorText({ error }: { error: Readonly<Record<string, unknown>> }) {
  const { message, hint, code, step } = error
  return (
    <div class="error-text">
      <strong>
        {typeof step === 'string' && `${step}: `}
        <bdi>{typeof message === 'string' ? message : 'It failed.'}</bdi>
      </strong>
      {typeof hint === 'string' && <div>{hint}</div>}
      {typeof code === 'string' && <code class="muted">{code}</code>}
    </div>
  )
}

interface NoticeProps {
  tone: Tone
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
