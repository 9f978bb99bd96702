/** The log levels, from nothing to everything. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** A log level. A line never has the level `silent`. */
export type LogLevel = (typeof logLevels)[number];

/** Whether a line of one level is logged if the log is set to level `at`. */
export function isLogged(level: LogLevel, at: LogLevel): boolean {
  return logLevels.indexOf(level) <= logLevels.indexOf(at);
}

/** Logs lines for people. Without a level they are `info`. */
export type LineLog = (line: string, level?: LogLevel) => void;

/** Makes a log that writes only the lines of a level. */
export function lineLog(write: (line: string) => void, at: LogLevel): LineLog {
  return (line, level = 'info') => {
    if (isLogged(level, at)) write(line);
  };
}
