import { useEffect } from 'preact/hooks'
import { useRead } from './api/use-read.ts'
import { RoutedPage } from './routes.tsx'
import { LostBanner } from './shell/lost-banner.tsx'
import { me } from './shell/me.ts'
import { overview } from './shell/overview.ts'
import { Side } from './shell/side.tsx'
import { SignedOut } from './shell/signed-out.tsx'
import { Modal } from './ui/modal.tsx'
import { Toasts } from './ui/toasts.tsx'

/** The whole console. It shows pages only to people who may see them. */
export function App() {
  // When the stream breaks, the session may have ended.
  const who = useRead('/me', {}, ({ kind }) => kind === 'lost')
  const now = useRead('/overview', {}, ({ kind }) => kind === 'runs' || kind === 'pipelines')
  useEffect(() => {
    if (who.data) me.value = who.data
  }, [who.data])
  useEffect(() => {
    overview.value = now
  }, [now.data, now.error])
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
