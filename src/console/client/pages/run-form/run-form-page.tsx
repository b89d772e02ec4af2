import { useRead } from '../../api/use-read.ts'
import { ofKind } from '../../live/changes.ts'
import { place } from '../../router/location.ts'
import { BrokenDocument } from '../../runs/broken-document.tsx'
import { pipelineAddress, RunLink } from '../../runs/run-link.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { RunForm } from './run-form.tsx'

/**
 * Starts a run: asks for its inputs, then shows what the run would do. With `of` in the URL, the form begins with the
 * inputs of that run.
 */
export function RunFormPage({ name }: { name: string }) {
  const of = place.value.query.get('of')
  const read = useRead('pipelines.get', { pipeline: name }, ofKind('pipelines'))
  const earlier = useRead(of === null ? undefined : 'runs.get', { runId: of ?? '' })
  const lead = (
    <>
      <a href={pipelineAddress(name)}>Back to the pipeline</a>
      {of !== null && (
        <span>
          with the inputs of run <RunLink runId={of} />
        </span>
      )}
    </>
  )
  return (
    <Page title={`Run ${name}`} lead={lead}>
      <Loaded read={read}>
        {(detail) => (
          <>
            <BrokenDocument pipeline={detail.pipeline} />
            {of === null ? (
              <RunForm detail={detail} />
            ) : (
              <Loaded read={earlier}>{({ inputs }) => <RunForm detail={detail} given={inputs} />}</Loaded>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}
