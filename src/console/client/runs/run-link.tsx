import { to } from '../router/location.ts'
import { shortId } from './started-by.tsx'

/** The address of a run, with the `ref` of the step to show. */
export function runAddress(runId: string, query: { readonly ref?: string | undefined } = {}): string {
  return to(`/runs/${encodeURIComponent(runId)}`, query)
}

/** The address of the page that compares two runs. */
export function compareAddress(runId: string, other: string): string {
  return to(`/runs/${encodeURIComponent(runId)}/compare/${encodeURIComponent(other)}`)
}

/** A link to a run, with its short id. */
export function RunLink({ runId }: { runId: string }) {
  return (
    <a class="mono" href={runAddress(runId)} title={runId}>
      {shortId(runId)}
    </a>
  )
}

export function PipelineLink({ name }: { name: string }) {
  return (
    <a href={to(`/pipelines/${encodeURIComponent(name)}`)}>
      <bdi>{name}</bdi>
    </a>
  )
}

/** The names of a pipeline and, below it, of the trigger. */
export function TriggerName({ pipeline, trigger }: { pipeline: string; trigger: string }) {
  return (
    <>
      <PipelineLink name={pipeline} />
      <span class="under">{trigger}</span>
    </>
  )
}
