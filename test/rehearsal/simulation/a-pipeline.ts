import type { Pipeline } from '../../../src/core/pipeline.ts'
import { loadPipeline } from '../../../src/pipeline/load-pipeline.ts'
import { stepTypes } from '../../../src/steps/index.ts'

/** A pipeline with these schedules, each as in a document. */
export function scheduled(name: string, ...schedules: readonly string[]): Pipeline {
  const triggers = schedules.map((schedule, at) => `  - { id: s${at}, schedule: ${schedule} }`).join('\n')
  const text = `version: 1\nname: ${name}\ntriggers:\n${triggers}\nsteps: [{ id: all, uses: segments.list }]\n`
  const { pipeline, diagnostics } = loadPipeline({ text, file: `/project/pipelines/${name}.yaml`, stepTypes })
  if (!pipeline) throw new Error(JSON.stringify(diagnostics))
  return pipeline
}
