/**
 * A copy without the members that are undefined: for values that are validated, whose keys are listed, or that are
 * spread over defaults. JSON leaves them out anyway.
 */
export function withoutUndefined<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}
