import { channelNames, type Settings } from '../../config/settings.ts'
import type { DecodedText } from '../../core/decode-text.ts'
import { InvalidDocumentError } from '../../core/errors.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { Policy } from '../../core/policy.ts'
import { loadPipeline } from '../../pipeline/load-pipeline.ts'
import { documentPolicy } from '../../policy/document-policy.ts'
import { stepTypes } from '../../steps/index.ts'
import { documentAt } from './document-at.ts'

interface Source extends DecodedText {
  readonly file: string
}

/**
 * A pipeline that will run now, with the pipelines that its steps run. `channels` are those of the configuration.
 * Throws InvalidDocumentError with everything that is wrong.
 */
export function readNewPipeline(
  source: Source,
  { policy, channels }: { readonly policy?: Policy; readonly channels?: () => readonly string[] } = {},
): Pipeline {
  return read(source, {
    readDocument: documentAt,
    ...(channels && { channels }),
    ...(policy && { policy: documentPolicy(policy) }),
  })
}

/** Reads documents that will run now with these settings, as `readNewPipeline` does. */
export function pipelineReader(settings: Pick<Settings, 'notify' | 'policy'>): (source: Source) => Pipeline {
  const { policy } = settings
  return (source) => readNewPipeline(source, { policy, channels: () => channelNames(settings) })
}

/**
 * A pipeline that another one runs now. The pipelines of its own steps are checked when the steps run them. Throws
 * InvalidDocumentError.
 */
export function childReader({ policy }: Pick<Settings, 'policy'>): (source: Source) => Pipeline {
  return (source) => read(source, { policy: documentPolicy(policy) })
}

/**
 * A pipeline from a stored text. The pipelines of its steps are checked when the steps run them. Throws
 * InvalidDocumentError.
 */
export function readPipeline(source: Source): Pipeline {
  return read(source, {})
}

function read(
  source: Source,
  options: Pick<Parameters<typeof loadPipeline>[0], 'readDocument' | 'channels' | 'policy'>,
): Pipeline {
  const { pipeline, diagnostics } = loadPipeline({ ...source, ...options, stepTypes })
  if (!pipeline) throw new InvalidDocumentError(source.file, source.text, diagnostics)
  return pipeline
}
