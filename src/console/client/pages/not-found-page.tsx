import { to } from '../router/location.ts'
import { Empty } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'

export function NotFoundPage({ path }: { path: string }) {
  return (
    <Page title="There is no such page">
      <Empty>
        The console has no page <code class="break">{path}</code>. <a href={to('/')}>Go to the home page</a>
      </Empty>
    </Page>
  )
}
