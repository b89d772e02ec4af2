import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CallError } from '../../api/call-error.ts'
import { me } from '../../shell/me.ts'
import { Loading, Notice, ProblemNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'

type Pages = typeof import('./service-pages.tsx')

const pages = signal<Pages | undefined>(undefined)
const error = signal<CallError | undefined>(undefined)

async function load(): Promise<void> {
  try {
    pages.value = await import('./service-pages.tsx')
  } catch {
    const hint = 'audience start does not answer, or now has a different version'
    error.value = new CallError(0, { message: 'these pages could not be loaded', hint })
  }
}

/** The pages of the embedded service. They are loaded when one of them is opened. They exist only for that service. */
export function ServiceRoute({ view }: { view: string }) {
  const who = me.value
  const isThere = who?.synthetic === true
  useEffect(() => {
    if (isThere && !pages.peek()) void load()
  }, [isThere])
  if (who && !isThere) return <NotEmbedded service={who.service} />
  if (pages.value && who) return <pages.value.ServicePages view={view} />
  return (
    <Page title="Service">
      {/* A browser does not request a script again if it could not load it, so reload the page. */}
      {error.value ? <ProblemNotice error={error.value} retry={() => location.reload()} /> : <Loading rows={8} />}
    </Page>
  )
}

/** Explains why these pages cannot show another service. */
function NotEmbedded({ service }: { service: string | undefined }) {
  return (
    <Page title="Service">
      <Notice tone="quiet" icon="skip">
        <span>
          This console belongs to <code class="break">{service ?? 'another service'}</code>. These pages cannot show it,
          because that service has no operations to look into it, to approve for others, or to move its clock.
        </span>
      </Notice>
      <p>
        These pages show only the embedded service of the profile <code>local</code>, which has synthetic people. See it
        with <code>audience start --profile local</code>.
      </p>
    </Page>
  )
}
