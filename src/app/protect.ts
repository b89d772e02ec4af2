import type { Pipeline } from '../core/pipeline.ts'
import type { TargetDeps } from './open-target.ts'

/** Treats the values of the environment variables that a pipeline names as secrets from then on. */
export function protect({ env: names }: Pipeline, { env, secrets }: Pick<TargetDeps, 'env' | 'secrets'>): void {
  for (const name of names) secrets.add(env[name] ?? '')
}
