import { useEffect } from 'preact/hooks'
import type { CallError } from './api/call-error.ts'
import { useRead } from './api/use-read.ts'
import { ofKind } from './live/changes.ts'
import { connection } from './live/shared-stream.ts'
import { RoutedPage } from './routes.tsx'
import { me } from './shell/me.ts'
import { overview } from './shell/overview.ts'
import { Side } from './shell/side.tsx'
import { clockText, zoneOffsetText } from './time/format-time.ts'
import { now } from './time/now.ts'
import { zone } from './time/zone.ts'
import { Icon } from './ui/icon.tsx'
import { Modal } from './ui/modal.tsx'
import { Toasts } from './ui/toasts.tsx'

/** The whole console. It shows pages only to people who may see them. */
export function ConsoleApp() {
  // When the stream breaks, the session may have ended.
  const who = useRead('me.get', {}, ofKind('lost'))
  const needs = useRead('overview.get', {}, ofKind('runs', 'pipelines'))
  useEffect(() => {
    if (who.data) me.value = who.data
  }, [who.data])
  useEffect(() => {
    overview.value = needs
  }, [needs.data, needs.error])
  if (who.error?.status === 401 || who.error?.status === 403) return <SignedOut error={who.error} />
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <div class="shell">
        <Side />
        <div>
          <LostBanner />
          <main id="content" tabIndex={-1}>
            <RoutedPage />
          </main>
        </div>
      </div>
      <Toasts />
      <Modal />
    </>
  )
}

/** A shorter interruption is not shown. */
const SAY_AFTER_MS = 2000

/** Says that the shown data may be old. */
function LostBanner() {
  const { value } = connection
  const isLost = value.state === 'lost' && now.value - value.since > SAY_AFTER_MS
  return (
    <div aria-live="polite">
      {isLost && (
        <div class="banner">
          <Icon name="warning" />
          <span>
            audience start has not answered since {clockText(value.since, zone.value)}{' '}
            {zoneOffsetText(value.since, zone.value)}. This is what was known then; the page tries again automatically.
          </span>
        </div>
      )}
    </div>
  )
}

/** The page that is shown without a session. It says how to get one. */
function SignedOut({ error }: { error: CallError }) {
  return (
    <main class="signed-out">
      <h1>{titleOf(error)}</h1>
      <p>{error.message}</p>
      {error.hint !== undefined && <p class="muted">{error.hint}</p>}
      {error.status === 401 && (
        <p>
          On the machine of <code>audience start</code>, run <code>audience console</code>. It prints a link that signs
          this browser in for 14 days.
        </p>
      )}
    </main>
  )
}

function titleOf({ status }: CallError): string {
  if (status !== 401) return 'You do not have access to this console'
  return me.peek() ? 'You are signed out' : 'You are not signed in'
}
