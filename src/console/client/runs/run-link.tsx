import { to } from '../router/location.ts'
import { shortId } from './started-by.tsx'

/** The address of a run, with the `ref` of the step to show. */
export function runAddress(runId: string, query: { readonly ref?: string | undefined } = {}): string {
  return to(`/runs/${encodeURIComponent(runId)}`, query)
}

/** A run by its short id. */
export function RunLink({ runId }: { readonly runId: string }) {
  return (
    <a class="mono" href={runAddress(runId)} title={runId}>
      {shortId(runId)}
    </a>
  )
}

export function PipelineLink({ name }: { readonly name: string }) {
  return (
    <a href={to(`/pipelines/${encodeURIComponent(name)}`)}>
      <bdi>{name}</bdi>
    </a>
  )
}

/** A cell with a trigger and its pipeline. */
export function TriggerCell({ pipeline, trigger }: { readonly pipeline: string; readonly trigger: string }) {
  return (
    <td class="name">
      <PipelineLink name={pipeline} />
      <span class="under">{trigger}</span>
    </td>
  )
}
