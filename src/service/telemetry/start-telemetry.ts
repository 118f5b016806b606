import process from 'node:process';
import { turnOn } from './instruments.ts';

type Environment = Record<string, string | undefined>;

/** Returns the value of a signal's exporter: its own variable, else `otlp` if an endpoint is named, else `none`. */
function exporterOf(signal: 'METRICS' | 'TRACES', env: Environment): string {
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  return env[`OTEL_${signal}_EXPORTER`] ?? (endpoint === undefined ? 'none' : 'otlp');
}

/**
 * Starts OpenTelemetry's SDK if the standard variables (`OTEL_…`) name an exporter; else it is not even loaded.
 *
 * @returns a function that sends what is left and ends it.
 */
export async function startTelemetry(env: Environment): Promise<() => Promise<void>> {
  const exporters = {
    OTEL_METRICS_EXPORTER: exporterOf('METRICS', env),
    OTEL_TRACES_EXPORTER: exporterOf('TRACES', env),
  };
  const isOff =
    env['OTEL_SDK_DISABLED'] === 'true' || Object.values(exporters).every((name) => name === 'none');
  if (isOff) return () => Promise.resolve();
  // The SDK reads the environment of the process.
  const defaults = {
    OTEL_SERVICE_NAME: 'voice-assistant-chat-service',
    // The detectors of the process and the host would add its arguments and names to every metric.
    OTEL_NODE_RESOURCE_DETECTORS: 'env',
    OTEL_LOGS_EXPORTER: 'none',
    // Metrics are not public.
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
  };
  Object.assign(process.env, { ...defaults, ...env, ...exporters });
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK();
  sdk.start();
  turnOn();
  return () => sdk.shutdown();
}
