/**
 * `npm run soak`: tests with kills, with random cases and against other services run in their long form. Otherwise they
 * run in the short form, which every change must pass.
 */
export const isLong = process.env.SOAK_DISTURBANCES !== undefined
