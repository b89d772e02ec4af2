import { useRead } from '../../api/use-read.ts'
import { to } from '../../router/location.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { RunForm } from './run-form.tsx'

/** Starting a run: its inputs, then what it would do, then the run. */
export function RunFormPage({ name }: { readonly name: string }) {
  const read = useRead('/pipelines/{pipeline}', { pipeline: name }, ({ kind }) => kind === 'pipelines')
  const lead = <a href={to(`/pipelines/${encodeURIComponent(name)}`)}>Back to the pipeline</a>
  return (
    <Page title={`Run ${name}`} lead={lead}>
      <Loaded read={read}>{(detail) => <RunForm detail={detail} />}</Loaded>
    </Page>
  )
}
