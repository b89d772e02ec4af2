/** `npm run soak`: tests of kills, of chance and of other services take their long form. Else they take the one that every change has to pass. */
export const isLong = process.env.SOAK_DISTURBANCES !== undefined
