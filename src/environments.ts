import type { CloudEnvironment } from './contract/index.js';

/** The clouds that are known without configuration (spec 2.1, `environment`). The first one is the default. */
export const KNOWN_ENVIRONMENTS: readonly CloudEnvironment[] = [
  {
    name: 'CloudPublicCloud',
    aliases: ['AzurePublicCloud'],
    authorityHost: 'https://login.microsoftonline.com',
    resourceManagerEndpoint: 'https://management.azure.com',
    resourceManagerAudience: 'https://management.azure.com',
    graphEndpoint: 'https://graph.microsoft.com',
  },
  {
    name: 'CloudUSGovernmentCloud',
    aliases: ['AzureUSGovernmentCloud'],
    authorityHost: 'https://login.microsoftonline.us',
    resourceManagerEndpoint: 'https://management.usgovcloudapi.net',
    resourceManagerAudience: 'https://management.usgovcloudapi.net',
    graphEndpoint: 'https://graph.microsoft.us',
  },
  {
    name: 'CloudChinaCloud',
    aliases: ['AzureChinaCloud'],
    authorityHost: 'https://login.chinacloudapi.cn',
    resourceManagerEndpoint: 'https://management.chinacloudapi.cn',
    resourceManagerAudience: 'https://management.chinacloudapi.cn',
    graphEndpoint: 'https://microsoftgraph.chinacloudapi.cn',
  },
  {
    name: 'CloudGermanCloud',
    aliases: ['AzureGermanCloud'],
    authorityHost: 'https://login.microsoftonline.de',
    resourceManagerEndpoint: 'https://management.microsoftazure.de',
    resourceManagerAudience: 'https://management.microsoftazure.de',
    graphEndpoint: 'https://graph.microsoft.de',
  },
];
