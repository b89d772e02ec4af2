import { count, formatBytes } from '../../core/format/figures.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import { describeList } from '../../lists/describe-list.ts'
import type { ListFigures } from '../../lists/list-request.ts'

/** A short summary of the outputs of any step, for people. It uses only fields of the API and of the runner. */
export function describeOutputs(outputs: Json | undefined): string {
  if (Array.isArray(outputs)) return `${count(outputs.length, 'item')}`
  if (!isJsonObject(outputs)) return ''
  const facts: string[] = []
  if (isList(outputs)) return describeList(outputs)
  const { rows, bytes, name, matchCount, ActivationId, Status, segmentId, segmentName, jobId, jobStatus, runId } =
    outputs
  if (typeof bytes === 'number') facts.push(`${count(Number(rows), 'row')}, ${formatBytes(bytes)} sent as ${name}`)
  else if (typeof matchCount === 'number') facts.push(`${count(matchCount, 'person', 'people')} matched`)
  else if (ActivationId !== undefined) facts.push(`activation ${ActivationId}: ${Status}`)
  else if (segmentId !== undefined)
    facts.push(segmentName ? `segment ${segmentId} "${segmentName}"` : `segment ${segmentId}`)
  else if (jobId !== undefined) facts.push(`job ${jobId}: ${jobStatus}`)
  // For pipelines.run: the run that it started.
  else if (typeof runId === 'string') facts.push(`run ${runId}`)
  const { stillSharedWith } = outputs
  if (Array.isArray(stillSharedWith) && stillSharedWith.length > 0) {
    facts.push(`still shared with ${stillSharedWith.join(', ')}`)
  }
  return facts.join(', ')
}

/** Whether these are the outputs of `files.prepare`. */
function isList(outputs: object): outputs is ListFigures {
  return 'keys' in outputs && 'badShare' in outputs
}
