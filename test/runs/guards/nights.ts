import { seededRandom } from '../../service/support/seeded-random.ts'

/**
 * A list as a data team sends it every night. The service matches each key with the same chance, so the number of people
 * that it finds is binomially distributed.
 */
export interface HealthyList {
  readonly keys: number
  /** The share of the keys that the service matches. */
  readonly matched: number
  /** Its growth per night, as a share. */
  readonly drift: number
  /** How much smaller it is on two days of the week, as a share; on a third day, it is larger by half of that. */
  readonly season: number
  /** The standard deviation of its size from night to night, as a share. */
  readonly noise: number
}

export interface Night {
  /** The people that were matched. */
  readonly people: number
  /** The people that would have been matched if this share of the list had been lost. */
  lost(share: number): number
}

/** The nights of a list, the same for the same seed. */
export function* nightsOf(list: HealthyList, seed: number): Generator<Night> {
  const random = seededRandom(seed * 7919 + 17)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const matchedOf = (keys: number) => {
    const mean = keys * list.matched
    return Math.max(0, Math.round(mean + Math.sqrt(mean * (1 - list.matched)) * normal()))
  }
  for (let night = 0; ; night += 1) {
    const keys = list.keys * (1 + list.drift) ** night * weekly(list.season, night + seed) * (1 + list.noise * normal())
    yield { people: matchedOf(keys), lost: (share) => matchedOf(keys * (1 - share)) }
  }
}

export function weekly(season: number, day: number): number {
  return [1 - season, 1 - season, 1 + season / 2, 1, 1, 1, 1][day % 7] ?? 1
}
