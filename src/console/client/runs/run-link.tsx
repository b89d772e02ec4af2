import { shortCommit } from '../../../core/format/short-commit.ts'
import { to } from '../router/location.ts'

/** The address of a run, with the `ref` of the step to show. */
export function runAddress(runId: string, query: { ref?: string | undefined } = {}): string {
  return to(`/runs/${encodeURIComponent(runId)}`, query)
}

/** The address of the page that compares two runs. */
export function compareAddress(runId: string, other: string): string {
  return to(`/runs/${encodeURIComponent(runId)}/compare/${encodeURIComponent(other)}`)
}

/** The address of a pipeline, with the tab to show. */
export function pipelineAddress(name: string, query: { tab?: string; line?: string } = {}): string {
  return to(`/pipelines/${encodeURIComponent(name)}`, query)
}

/** The address of the form that runs a pipeline. With `of`, the form begins with the inputs of that run. */
export function runFormAddress(name: string, query: { of?: string } = {}): string {
  return to(`/pipelines/${encodeURIComponent(name)}/run`, query)
}

/** The part of a run's id that distinguishes it from others: the part after the time. */
export function shortId(runId: string): string {
  return runId.slice(runId.lastIndexOf('-') + 1)
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
    <a href={pipelineAddress(name)}>
      <bdi>{name}</bdi>
    </a>
  )
}

interface Trigger {
  readonly pipeline: string
  readonly trigger: string
}

/** A text that identifies a trigger: `nightly/morning`. */
export function triggerKey({ pipeline, trigger }: Trigger): string {
  return `${pipeline}/${trigger}`
}

/** The names of a pipeline and, below it, of the trigger. */
export function TriggerName({ pipeline, trigger }: Trigger) {
  return (
    <>
      <PipelineLink name={pipeline} />
      <span class="under">{trigger}</span>
    </>
  )
}

/** The names of a pipeline and of the trigger in one line. */
export function TriggerLine({ pipeline, trigger }: Trigger) {
  return (
    <>
      <PipelineLink name={pipeline} /> <span class="muted">{trigger}</span>
    </>
  )
}

/** A commit that has been in use, as a link to what it changed. */
export function CommitLink({ commit, isRow = false }: { commit: string; isRow?: boolean }) {
  return (
    <a href={to(`/deployment/${encodeURIComponent(commit)}`)} title={commit} data-row={isRow || undefined}>
      <code>{shortCommit(commit)}</code>
    </a>
  )
}
