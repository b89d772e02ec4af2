import { channelNames, type Settings } from '../../config/settings.ts'
import type { DecodedText } from '../../core/decode-text.ts'
import { InvalidDocumentError } from '../../core/errors.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { Policy } from '../../core/policy.ts'
import type { ProfileValues } from '../../core/profile-values.ts'
import { loadPipeline } from '../../pipeline/load-pipeline.ts'
import { documentPolicy } from '../../policy/document-policy.ts'
import { stepTypes } from '../../steps/index.ts'
import { documentAt } from './document-at.ts'

interface Source extends DecodedText {
  readonly file: string
}

/**
 * A pipeline that will run now, with the pipelines that its steps run. `channels` are the channels of the
 * configuration. Throws InvalidDocumentError with everything that is wrong.
 */
export function readNewPipeline(
  source: Source,
  options: {
    policy?: Policy
    channels?: () => readonly string[]
    values?: ProfileValues
  } = {},
): Pipeline {
  const { policy, channels, values } = options
  return read(source, { readDocument: documentAt, channels, values, policy: policy && documentPolicy(policy) })
}

/** Reads documents that will run now with these settings, as `readNewPipeline` does. */
export function pipelineReader(settings: Pick<Settings, 'notify' | 'policy' | 'values'>): (source: Source) => Pipeline {
  const { policy, values } = settings
  return (source) => readNewPipeline(source, { policy, values, channels: () => channelNames(settings) })
}

/**
 * A pipeline that another one runs now. The pipelines of its own steps are checked when the steps run them. Throws
 * InvalidDocumentError.
 */
export function childReader({ policy, values }: Pick<Settings, 'policy' | 'values'>): (source: Source) => Pipeline {
  return (source) => read(source, { values, policy: documentPolicy(policy) })
}

/**
 * A pipeline from stored text. The pipelines of its steps are checked when the steps run them. Profiles do not matter:
 * the run has its inputs, whatever audience.yaml says now. Throws InvalidDocumentError.
 */
export function readPipeline(source: Source): Pipeline {
  return read(source, { isStored: true })
}

function read(
  source: Source,
  options: Pick<Parameters<typeof loadPipeline>[0], 'readDocument' | 'channels' | 'policy' | 'values' | 'isStored'>,
): Pipeline {
  const { pipeline, diagnostics } = loadPipeline({ ...source, ...options, stepTypes })
  if (!pipeline) throw new InvalidDocumentError(source.file, source.text, diagnostics)
  return pipeline
}
