import { isJsonObject, type Json } from '../../core/json.ts'
import { count, formatBytes } from './figures.ts'

/**
 * A short summary of a step's outputs for people. It uses only fields that the API or the runner provides, for every
 * step type.
 */
export function describeOutputs(outputs: Json | undefined): string {
  if (Array.isArray(outputs)) return `${count(outputs.length, 'item')}`
  if (!isJsonObject(outputs)) return ''
  const facts: string[] = []
  const { keys, rows, bytes, name, matchCount, ActivationId, Status, segmentId, segmentName, jobId, jobStatus } =
    outputs
  if (typeof keys === 'number') facts.push(`${count(keys, 'key')} of ${count(Number(rows), 'row')}`)
  else if (typeof bytes === 'number') facts.push(`${count(Number(rows), 'row')}, ${formatBytes(bytes)} sent as ${name}`)
  else if (typeof matchCount === 'number') facts.push(`${count(matchCount, 'person', 'people')} matched`)
  else if (ActivationId !== undefined) facts.push(`activation ${ActivationId}: ${Status}`)
  else if (segmentId !== undefined)
    facts.push(segmentName ? `segment ${segmentId} "${segmentName}"` : `segment ${segmentId}`)
  else if (jobId !== undefined) facts.push(`job ${jobId}: ${jobStatus}`)
  return facts.join(', ')
}
