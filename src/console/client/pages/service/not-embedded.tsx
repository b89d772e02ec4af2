import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'

/** Why there is nothing to see of another service. */
export function NotEmbedded({ service }: { readonly service: string | undefined }) {
  return (
    <Page title="Service">
      <Notice tone="quiet" icon="skip">
        <span>
          This console belongs to <code class="break">{service ?? 'another service'}</code>. Its inside cannot be shown:
          that service has no operations to look into it, to approve for others, or to move its clock.
        </span>
      </Notice>
      <p>
        These pages show the embedded service, which has synthetic people: that of the profile <code>local</code>. See
        it with <code>audience start --profile local</code>.
      </p>
    </Page>
  )
}
