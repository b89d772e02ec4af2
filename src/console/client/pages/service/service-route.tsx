import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError } from '../../api/api-error.ts'
import { me } from '../../shell/me.ts'
import { Loading, Problem } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { NotEmbedded } from './not-embedded.tsx'

type Pages = typeof import('./service-pages.tsx')

const pages = signal<Pages | undefined>(undefined)
const error = signal<ApiError | undefined>(undefined)

async function load(): Promise<void> {
  try {
    pages.value = await import('./service-pages.tsx')
  } catch {
    const hint = 'audience start does not answer, or has another version now'
    error.value = new ApiError(0, { code: 'unreachable', message: 'these pages could not be loaded', hint })
  }
}

/** The pages of the embedded service. They are loaded when one of them is opened, and are there for that service only. */
export function ServiceRoute({ view }: { readonly view: string }) {
  const who = me.value
  const isThere = who?.synthetic === true
  useEffect(() => {
    if (isThere && !pages.peek()) void load()
  }, [isThere])
  if (who && !isThere) return <NotEmbedded service={who.service} />
  if (pages.value && who) return <pages.value.ServicePages view={view} />
  return (
    <Page title="Service">
      {/* A browser does not ask again for a script that it could not load. */}
      {error.value ? <Problem error={error.value} retry={() => location.reload()} /> : <Loading rows={8} />}
    </Page>
  )
}
