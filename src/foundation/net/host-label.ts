/** A part of a host name between two dots, in lower case, as the text of a regular expression. Names inside a network have underscores, too. */
export const HOST_LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
