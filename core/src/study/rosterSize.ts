/** At most so many sites in one study: it sizes the ring's headroom in a plan before the roster is known. */
export const maxRosterSize = 1024;
